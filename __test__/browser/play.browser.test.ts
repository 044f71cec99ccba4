/** The playground, in a real browser. */
/* oxlint-disable no-await-in-loop -- one page, one step after the other */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildPrompt, type PromptInput } from 'promptmason'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examples } from '../../dist/play/examples.js'
import { playPage } from '../../dist/play/page.js'
import { startServer } from '../../dist/play/server.js'
import { chatter } from '../support/conversations.js'
import { BrowserUser, violationsIn } from './browser.js'

const user = new BrowserUser()
let server: Awaited<ReturnType<typeof startServer>>
beforeAll(async () => {
  await user.start()
  server = await startServer(playPage(null))
}, 60_000)
afterAll(async () => {
  await user.stop()
  await server.close()
})

const open = (options = {}) => user.visit(server.url, options)
/** The sentence above the result, once it is about the newest input. */
const stateOf = async (page: Page, state: 'made' | 'problem' = 'made'): Promise<string> => {
  await page.waitForSelector(`.state[data-state=${state}]`)
  return (await page.textContent('.state p')) ?? ''
}
const INPUT: PromptInput = {
  agentType: 'codex',
  contextMessages: chatter(12, 200),
  message: 'Go on.',
  maxContextMessages: 12,
  maxBytes: 1200,
}
const write = (page: Page, input: unknown): Promise<void> =>
  page.fill('#conversation', typeof input === 'string' ? input : JSON.stringify(input))
const droppedFile = (page: Page, name: string, text: string): Promise<void> =>
  page.evaluate(
    ([fileName = '', content = '']) => {
      const data = new DataTransfer()
      data.items.add(new File([content], fileName))
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }))
    },
    [name, text],
  )

describe('the playground', () => {
  it('starts from each example, and sends requests only to its server', async () => {
    const { page, problems } = await open()
    const { length } = examples()
    expect(await page.locator('.start option').count()).toBe(length)
    for (let at = 0; at < length; at++) {
      await page.selectOption('.start select', String(at))
      expect(await stateOf(page)).toMatch(
        /^From an? \w+, for [\w -]+: [\d,]+ of [\d,]+ (bytes|tokens); \d+ of \d+ messages? sent/,
      )
      expect(await page.inputValue('#conversation')).toBe(examples()[at]?.text)
    }
    expect(problems).toEqual([])
  })

  it('updates prompt, account and picture while typing', async () => {
    const { page, problems } = await open()
    await write(page, INPUT)
    const { prompt, report } = buildPrompt(INPUT, { report: true })
    expect(await stateOf(page)).toContain(`${report.totalBytes.toLocaleString('en')} of 1,200 bytes`)
    await page.click('.exact > summary')
    expect(await page.textContent('.exact pre')).toBe(prompt)
    await page.fill('[name=max-bytes]', '900')
    const smaller = buildPrompt({ ...INPUT, maxBytes: 900 }, { report: true })
    await page.waitForFunction((text) => document.querySelector('.exact pre')?.textContent === text, smaller.prompt)
    const main = await page.textContent('main')
    const { givenBytes, sentBytes } = smaller.report.account
    expect(main).toContain(
      `${givenBytes.toLocaleString('en')} bytes of text were given: ${sentBytes.toLocaleString('en')} are sent`,
    )
    expect(await page.textContent('.bar-title')).toContain('of 900 bytes')
    await page.fill('[name=agent]', 'gemini')
    await page.waitForFunction(() => document.querySelector('.state p')?.textContent?.includes('google-gemini'))
    await page.fill('[name=max-tokens]', '150')
    await page.fill('[name=tokenizer]', 'o200k')
    await page.waitForFunction(() => document.querySelector('.bar-title')?.textContent?.includes('of 150 tokens'))
    await page.click('text=Clear overrides')
    await page.waitForFunction((text) => document.querySelector('.exact pre')?.textContent === text, prompt)
    expect(problems).toEqual([])
  })

  it('pins a message in place, and keeps the focus', async () => {
    const { page } = await open()
    await write(page, INPUT)
    await stateOf(page)
    await page.locator('li summary').first().press('Enter')
    await page.click('text=Pin #0')
    await page.waitForSelector('li[data-fate=pinned]')
    expect(await page.inputValue('[name=pins]')).toBe('#0')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Unpin #0')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelector('li[data-fate=pinned]') === null)
    expect(await page.inputValue('[name=pins]')).toBe('none')
  })

  it('shows an error with its position, and keeps the last result', async () => {
    const { page, problems } = await open()
    await write(page, INPUT)
    await stateOf(page)
    await write(page, '{\n  "message": "a",\n  oops\n}')
    expect(await stateOf(page, 'problem')).toBe(
      'line 3, column 3: this is not JSON: a name in double quotes was expected',
    )
    await page.click('text=Show the error')
    const selected = () => {
      const area = document.querySelector<HTMLTextAreaElement>('#conversation')!
      return area.value.slice(area.selectionStart)
    }
    expect(await page.evaluate(selected)).toBe('oops\n}')
    expect(await page.locator('ol.messages > li').count()).toBe(12)
    await write(page, { contextMessages: [{ from: 1 }], message: 'a' })
    await page.waitForFunction(() => document.querySelector('.state p')?.textContent?.startsWith('contextMessages[0]'))
    await write(page, { ...INPUT, maxBytes: 3 })
    await page.click('text=/^Use \\d+ bytes$/')
    expect(await stateOf(page)).toContain('0 of 12 messages sent')
    await write(page, '')
    expect(await stateOf(page, 'problem')).toContain('Paste a conversation')
    expect(problems).toEqual([])
  })

  it('accepts opened and dropped files, and rejects those that are too large or not text', async () => {
    const { page, problems } = await open()
    const buffer = Buffer.from(JSON.stringify({ ...INPUT, maxBytes: 1300 }))
    await page.setInputFiles('input[type=file]', { name: 'one.json', mimeType: 'application/json', buffer })
    await page.waitForFunction(() => document.querySelector('.state p')?.textContent?.includes('of 1,300 bytes'))
    await droppedFile(page, 'two.json', JSON.stringify({ ...INPUT, maxBytes: 1400 }))
    await page.waitForFunction(() => document.querySelector('.state p')?.textContent?.includes('of 1,400 bytes'))
    await page.setInputFiles('input[type=file]', { name: 'x.bin', mimeType: '', buffer: Buffer.from([0xff, 0xfe]) })
    expect(await stateOf(page, 'problem')).toBe('x.bin is not UTF-8.')
    // Created in the page, since sending it there would take long.
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([new Uint8Array(33 * 1024 * 1024)], 'large.json'))
      document.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
    })
    await page.waitForFunction(() =>
      document.querySelector('.state p')?.textContent?.startsWith('large.json has 33.0 MiB, and at most 32.0 MiB'),
    )
    expect(problems).toEqual([])
  })

  it('stays responsive with 20 MB of JSON and 5,000 messages', async () => {
    const { page, problems } = await open()
    // Created in the page, since sending it there would take long.
    const size = await page.evaluate(() => {
      const contextMessages = Array.from({ length: 5000 }, (_, at) => ({
        from: 'max',
        content: `${at} ${'word '.repeat(800)}`,
      }))
      const text = JSON.stringify({ contextMessages, message: 'Go on.', maxContextMessages: 5000, maxBytes: 1200 })
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([text], 'large.json'))
      document.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
      return text.length
    })
    expect(size).toBeGreaterThan(20_000_000)
    await page.waitForFunction(() =>
      document.querySelector('.state p')?.textContent?.includes('of 5,000 messages sent'),
    )
    expect(await page.textContent('.held')).toMatch(/^large\.json, 19\.\d MiB: too large to be edited here/)
    for (const budget of ['5000', '50000', '500000']) await page.fill('[name=max-bytes]', budget)
    // The newest one wins.
    await page.waitForFunction(() => document.querySelector('.bar-title')?.textContent?.includes('of 500,000 bytes'))
    await page.waitForTimeout(300)
    expect(await page.textContent('.bar-title')).toContain('of 500,000 bytes')
    await page.click('text=Remove')
    expect(await stateOf(page, 'problem')).toContain('Paste a conversation')
    expect(problems).toEqual([])
  })

  it('says that the server has ended', async () => {
    const other = await startServer(playPage(null))
    const { page } = await user.visit(other.url)
    await stateOf(page)
    await other.close()
    await page.fill('[name=max-bytes]', '500')
    expect(await stateOf(page, 'problem')).toBe('promptmason play does not answer: it has ended. Start it again.')
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.each([1400, 390])('%i pixels wide, it passes axe-core and fits', async (width) => {
    const { page } = await open({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true })
    await page.waitForFunction(() => document.querySelector('ol.messages[data-complete]') !== null)
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('li details, .exact')) details.setAttribute('open', '')
    })
    expect(await violationsIn(page)).toEqual([])
    await page.fill('[name=max-bytes]', '3')
    await stateOf(page, 'problem')
    expect(await violationsIn(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  })
})

describe('attacks', () => {
  it('of a conversation are only shown', async () => {
    const { page, problems } = await open()
    const attack = '</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>\u202e'
    await write(page, {
      agentType: attack,
      contextMessages: [{ from: attack, to: attack, content: attack }],
      message: attack,
      teamTask: attack,
      systemInstructionText: attack,
      maxBytes: 9000,
    })
    await stateOf(page)
    await page.locator('li summary').first().click()
    await page.fill('[name=recipient]', attack)
    await page.fill('[name=agent]', attack)
    await stateOf(page)
    await page.fill('[name=pins]', attack)
    await stateOf(page, 'problem')
    expect(await page.locator('main img, main a, main script').count()).toBe(0)
    expect(await page.textContent('main')).not.toContain('\u202e')
    expect(problems).toEqual([])
  })

  it('of another page do not reach the server', async () => {
    const attacker = createServer((_, response) =>
      response.setHeader('Content-Type', 'text/html').end('<p id=budget>a page'),
    )
    await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
    const { page } = await user.visit(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`)
    const stolen = await page.evaluate(async (url) => {
      const body = JSON.stringify({ conversation: '{}', choices: {} })
      const tries: RequestInit[] = [
        { method: 'GET' },
        { method: 'GET', mode: 'no-cors' },
        { method: 'POST', body, headers: { 'Content-Type': 'application/json' } },
        { method: 'POST', body, mode: 'no-cors' },
      ]
      const texts = await Promise.all(
        tries.map((init) =>
          fetch(init.method === 'GET' ? url : `${url}prompt`, init).then(
            (response) => response.text(),
            () => '',
          ),
        ),
      )
      const frame = document.createElement('iframe')
      frame.src = url
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      return [...texts, frame.contentDocument?.title ?? '']
    }, server.url)
    expect(stolen).toEqual(['', '', '', '', ''])
    attacker.close()
  })
})
