import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type LoadedInstruction, InstructionPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'

const project = useProject()
const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

const hasOpenssl = ((): boolean => {
  try {
    return execFileSync('openssl', ['version']).length > 0
  } catch {
    return false
  }
})()

describe.skipIf(!hasOpenssl)('https', () => {
  it('trusts exactly what Node trusts', async () => {
    const { current } = project
    const path = (name: string): string => current.path(`${name}.pem`)
    const make = (name: string, ...more: string[]): void => {
      const key = [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        path(`${name}-key`),
      ]
      const certificate = ['-days', '2', '-subj', `/CN=${name}`, '-out', path(name)]
      execFileSync('openssl', ['req', '-x509', ...key, ...certificate, ...more], { stdio: 'ignore' })
    }
    make('authority')
    const signed = ['-CA', path('authority'), '-CAkey', path('authority-key')]
    make('server', ...signed, '-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=critical,CA:FALSE')

    const server = createServer(
      { key: readFileSync(path('server-key')), cert: readFileSync(path('server')) },
      (_, response) => void response.end('over TLS'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const options = { directory: current.root, config: { instructions: [url] } }

    const [refused] = await InstructionPrompt.load(options)
    expect(refused).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^the certificate is not trusted \(\w+\)$/),
    })

    // Node reads this variable when it starts.
    const code = `require('promptmason').InstructionPrompt.load(${JSON.stringify(options)})
      .then((loaded) => console.log(JSON.stringify(loaded)))`
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: path('authority') }
    const { stdout } = await run(process.execPath, ['-e', code], { cwd: root, env })
    const [accepted] = JSON.parse(stdout) as LoadedInstruction[]
    expect(accepted).toMatchObject({ status: 'loaded', text: 'over TLS' })
    server.close()
  })
})
