/* oxlint-disable no-await-in-loop -- one picture after the other */
/**
 * Takes the pictures of the README: the page of examples/explain.ts in Chromium, in light and in
 * dark. `node scripts/page/picture.mjs` writes docs/explain-light.png and docs/explain-dark.png.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'promptmason-picture-'))
const page = join(folder, 'page.html')
execFileSync(process.execPath, ['--import', 'tsx', 'examples/explain.ts', page], { cwd: root })

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
try {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1000, height: 1080 } })
    const tab = await context.newPage()
    await tab.goto(pathToFileURL(page).href)
    await tab.waitForSelector('ol.messages[data-complete]')
    await tab.screenshot({ path: join(root, 'docs', `explain-${colorScheme}.png`) })
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true })
}
