/** A real browser, and pages of `renderReport` in it. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
    // Whoever may start a sandbox may also use it; in containers, root may not.
    this.#browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  }

  async stop(): Promise<void> {
    await this.#browser?.close()
    rmSync(this.#folder, { recursive: true })
  }

  /** Opens a page as a user does who got the file. `problems` collects what the page does wrong. */
  async open(html: string, options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
    const file = join(this.#folder, `${this.#pages++}.html`)
    writeFileSync(file, html)
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
      if (request.url() !== `file://${file}`) problems.push(`request: ${request.url()}`)
    })
    await page.goto(`file://${file}`)
    await page.waitForSelector('#budget')
    await page.waitForFunction(() => document.querySelector('ol.messages:not([data-complete])') === null)
    return { page, problems }
  }
}
