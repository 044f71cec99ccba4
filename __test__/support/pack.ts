/** Packs both packages once, for all test files that install them. */
import { isPackaged, packAll, type PackedPackages } from './installed.js'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    packed: PackedPackages | undefined
  }
}

export default function setup({ provide }: TestProject): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'promptmason-packed-')))
  provide('packed', isPackaged ? packAll(folder) : undefined)
  return () => rmSync(folder, { recursive: true, force: true })
}
