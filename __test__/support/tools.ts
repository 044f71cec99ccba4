/** Tools of this repository that are programs, not JavaScript. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')

/** Whether they run here. Under an emulator they do not. */
export const hasTools = spawnSync(process.execPath, [biome, '--version']).status === 0
