/** The trees, by preset. */
import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { geminiCli } from './gemini-cli.js'
import { opencode } from './opencode.js'
import { qwenCode } from './qwen-code.js'
import type { Tree } from './tree.js'

export const TREES: Record<string, readonly Tree[]> = {
  opencode: opencode,
  codex: codex,
  'gemini-cli': geminiCli,
  'qwen-code': qwenCode,
  'claude-code': claudeCode,
  copilot: copilot,
}
