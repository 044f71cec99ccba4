/** A real browser, and pages of `renderReport` in it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { root } from '../support/documents.js'

const EXECUTABLES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

export class BrowserUser {
  readonly #folder: string
  #browser: Browser | undefined
  #pages = 0

  constructor() {
    mkdirSync(join(root, 'target'), { recursive: true })
    this.#folder = mkdtempSync(join(root, 'target', 'browser-'))
  }

  async start(): Promise<void> {
    const executablePath = EXECUTABLES.find((path) => path !== '' && existsSync(path))
    if (executablePath === undefined)
      throw new Error('these tests need Chromium: on Debian, apt-get install chromium, or set CHROMIUM to its path')
    // Chromium's sandbox does not work for root in containers.
    this.#browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  }

  async stop(): Promise<void> {
    await this.#browser?.close()
    rmSync(this.#folder, { recursive: true })
  }

  /** Opens a page from a file. `problems` collects console messages, errors, dialogs and requests. */
  async open(html: string, options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
    const file = join(this.#folder, `${this.#pages++}.html`)
    writeFileSync(file, html)
    const { page, problems } = await this.visit(`file://${file}`, options)
    await page.waitForFunction(() => document.querySelector('ol.messages:not([data-complete])') === null)
    return { page, problems }
  }

  /** Opens an address. A request for anything that does not begin with it is a problem. */
  async visit(url: string, options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
    const context = await this.#browser!.newContext({ viewport: { width: 1400, height: 900 }, ...options })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) problems.push(`request: ${request.url()}`)
    })
    await page.goto(url)
    await page.waitForSelector('#budget')
    return { page, problems }
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong with a page, which must have been opened with `bypassCSP`. */
export const violationsIn = async (page: Page): Promise<unknown[]> => {
  await page.addScriptTag({ content: axe })
  const { violations } = await page.evaluate(() =>
    (
      globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
    ).axe.run(),
  )
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html])
}
