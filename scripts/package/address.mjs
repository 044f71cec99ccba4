/**
 * Web addresses of the repository's files, derived from `repository` in package.json. Packing works
 * without it, publishing does not.
 */

/** For each host, the address of a file at a tag: its page, and its raw content. */
const HOSTS = {
  'github.com': { page: 'blob', raw: 'raw' },
  'gitlab.com': { page: '-/blob', raw: '-/raw' },
  'codeberg.org': { page: 'src/tag', raw: 'raw/tag' },
}

const HOW = 'npm pkg set repository.type=git repository.url=git+https://github.com/OWNER/NAME.git'

/** What to do if a manifest has no usable address. */
export const MISSING = `package.json does not say where the source is, so the links of the README would lead nowhere on npm. Set it: ${HOW}`

/**
 * Makes addresses of files, or undefined if the manifest has no `repository`.
 * @param {{ version: string, repository?: { url?: string } }} manifest
 * @returns {{ page(path: string): string, raw(path: string): string } | undefined}
 */
export const addressOf = ({ version, repository }) => {
  const url = repository?.url
  if (url === undefined) return undefined
  const [, host, project] = /^(?:git\+)?https:\/\/([\w.-]+)\/([\w./-]+?)(?:\.git)?\/?$/.exec(url) ?? []
  const forms = HOSTS[/** @type {keyof typeof HOSTS} */ (host)]
  if (forms === undefined) {
    const hosts = Object.keys(HOSTS).join(', ')
    throw new Error(
      `repository.url in package.json must be git+https://HOST/OWNER/NAME.git with a host of ${hosts}, got '${url}'. Set it: ${HOW}`,
    )
  }
  const address = (/** @type {string} */ form) => (/** @type {string} */ path) =>
    `https://${host}/${project}/${form}/v${version}/${path}`
  return { page: address(forms.page), raw: address(forms.raw) }
}
