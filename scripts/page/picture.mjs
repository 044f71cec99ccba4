/* oxlint-disable no-await-in-loop -- one picture after the other */
/**
 * Takes the pictures of the README and of docs/explain.md in Chromium, in light and in dark: the page of
 * examples/explain.ts (docs/explain-*.png), and the playground (docs/play-*.png).
 *
 *     node scripts/page/picture.mjs
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'promptmason-picture-'))
const page = join(folder, 'page.html')
execFileSync(process.execPath, ['--import', 'tsx', 'examples/explain.ts', page], { cwd: root })
const playground = spawn(process.execPath, ['dist/command/cli.js', 'play', '--json'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const address = async () => {
  let printed = ''
  for await (const chunk of playground.stdout) {
    printed += chunk
    if (printed.includes('}')) return String(JSON.parse(printed).url)
  }
  throw new Error('the playground has not started')
}

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
try {
  const pictures = [
    { name: 'explain', url: pathToFileURL(page).href, viewport: { width: 1000, height: 1080 } },
    { name: 'play', url: await address(), viewport: { width: 1280, height: 1240 } },
  ]
  for (const { name, url, viewport } of pictures) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const context = await browser.newContext({ colorScheme, viewport })
      const tab = await context.newPage()
      await tab.goto(url)
      await tab.waitForSelector('ol.messages[data-complete]')
      await tab.screenshot({ path: join(root, 'docs', `${name}-${colorScheme}.png`) })
    }
  }
} finally {
  await browser.close()
  playground.kill('SIGINT')
  rmSync(folder, { recursive: true })
}
