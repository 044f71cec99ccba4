/** The colours of the page can be distinguished, also by colour-blind readers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'

/** What is left of linear red, green and blue (Machado, Oliveira and Fernandes 2009, severity 1). */
const SIGHTS: Record<string, number[]> = {
  'all colours': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
}
/** Distances of CIELAB: 2 can just be seen, 20 is another colour. */
const LEAST_DISTANCE = 20
const SECTIONS = ['system', 'teamTask', 'summary', 'context', 'parent', 'siblings', 'message', 'routing']

type Triple = [number, number, number]
const linear = (hex: string): Triple =>
  [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Triple
const seen = (sight: number[], [r, g, b]: Triple): Triple =>
  [0, 3, 6].map((at) => Math.min(1, Math.max(0, sight[at]! * r + sight[at + 1]! * g + sight[at + 2]! * b))) as Triple
const luminance = ([r, g, b]: Triple): number => 0.2126 * r + 0.7152 * g + 0.0722 * b
const lab = ([r, g, b]: Triple): Triple => {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116)
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505)
  const y = f(luminance([r, g, b]))
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}
const distance = (one: Triple, other: Triple): number => Math.hypot(...one.map((value, at) => value - other[at]!))

const css = readFileSync(join(root, 'lib', 'explain', 'page', 'page.css'), 'utf8')
const themes = [...css.matchAll(/:root \{(.*?)\}/gs)].map(([, text = '']) => {
  const full = text.replaceAll(/#([\da-f])([\da-f])([\da-f])(?=;)/g, '#$1$1$2$2$3$3')
  return new Map([...full.matchAll(/--([\w-]+): (#[\da-f]{6})/g)].map(([, name = '', hex = '']) => [name, hex]))
})

describe.each([
  ['light', themes[0]!],
  ['dark', themes[1]!],
])('in %s', (_, theme) => {
  const colour = (name: string): Triple => linear(theme.get(name)!)

  it.each(Object.entries(SIGHTS))('sections and what was dropped differ for a reader with %s', (_sight, sight) => {
    const names = [...SECTIONS, 'dropped']
    for (const [at, one] of names.entries())
      for (const other of names.slice(0, at))
        expect(
          distance(lab(seen(sight, colour(one))), lab(seen(sight, colour(other)))),
          `${one}, ${other}`,
        ).toBeGreaterThan(LEAST_DISTANCE)
  })

  it.each([...SECTIONS, 'dropped'])('%s stands out from the background', (name) => {
    const [more, less] = [luminance(colour(name)), luminance(colour('back'))].toSorted((a, b) => b - a)
    expect((more! + 0.05) / (less! + 0.05)).toBeGreaterThanOrEqual(name === 'dropped' ? 4.5 : 3)
  })
})
