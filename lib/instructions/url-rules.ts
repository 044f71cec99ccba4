/** Which addresses may be fetched. Names are not resolved: the rules apply to the URL as written. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** How close an address is to this machine. A redirect must never lead closer. */
const PUBLIC = 0
const NETWORK = 1
const MACHINE = 2

const blockList = (subnets: readonly (readonly [string, number])[]) => {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, isIPv4(address) ? 'ipv4' : 'ipv6')
  return list
}

/** This machine. The last one is how IPv6 networks write IPv4 addresses. */
const machine = blockList([
  ['127.0.0.0', 8],
  ['0.0.0.0', 8],
  ['::1', 128],
  ['::', 128],
  ['64:ff9b::7f00:0', 104],
])

/** Its network: private, link-local (also the metadata services of clouds) and shared addresses. */
const network = blockList([
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
  ['fc00::', 7],
  ['fe80::', 10],
  ['64:ff9b::', 96],
])

/** The host without brackets and without the dot of a full name. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

const closeness = (url: URL) => {
  const host = hostOf(url)
  if (host === 'localhost' || host.endsWith('.localhost')) return MACHINE
  const family = isIPv4(host) ? 'ipv4' : isIPv6(host) ? 'ipv6' : undefined
  if (family === undefined) return PUBLIC
  if (machine.check(host, family)) return MACHINE
  return network.check(host, family) ? NETWORK : PUBLIC
}

/** An http or https URL; undefined if the text is not one, or has an invalid port. */
export const parseUrl = (text: string, base?: URL) => {
  try {
    const url = new URL(text, base)
    return url.port === '0' ? undefined : url
  } catch {
    return undefined
  }
}

export const isWeb = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:'

/**
 * Why a redirect is not followed; undefined if it is. A redirect to another host or port must use https:
 * the owner of a name can point it at this machine, but what answers there has no certificate for it.
 */
export const redirectProblem = (from: URL, to: URL) => {
  if (!isWeb(to)) return 'redirects to something other than http or https'
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'redirects from https to http'
  if (hostOf(from) === hostOf(to) && from.port === to.port) return undefined
  if (closeness(to) > closeness(from)) return 'redirects to an address of this machine or its network'
  if (closeness(to) === PUBLIC && to.protocol === 'http:') return 'redirects to another host or port without https'
  return undefined
}

/** @param host As callers write it: an IPv6 address may have brackets or not. */
const normalHost = (host: string): string | undefined => {
  const url = parseUrl(`http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`)
  return url && hostOf(url)
}

/**
 * Whether a URL may be fetched: its host is in the list, or below one that is listed as `*.host`.
 * @param allowHosts Absent for all.
 */
export const isAllowed = (url: URL, allowHosts?: readonly string[]) => {
  if (allowHosts === undefined) return true
  const host = hostOf(url)
  return allowHosts.some((allowed) =>
    allowed.startsWith('*.') ? host.endsWith(`.${normalHost(allowed.slice(2)) ?? '/'}`) : host === normalHost(allowed),
  )
}
