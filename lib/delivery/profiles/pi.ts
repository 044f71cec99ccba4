import { piFormat } from '../formats/pi.js'
import type { Facts } from './profile.js'

/**
 * pi. Measured on Linux on 2026-11-18 with `npm run test:clis -- --only=pi`. No limit was met at
 * 12 MB, and nothing in the text that it acts on.
 */
export const pi: Facts = {
  agentType: 'pi',
  measuredOn: '0.87.1',
  command: 'pi',
  package: '@earendil-works/pi-coding-agent',
  format: piFormat,
  jsonArgs: ['--mode', 'json'],
  textArgs: ['--print'],
  modelFlag: '--model',
  resume: { args: ['--session', '{id}'], directory: 'same' },
  skipInstructions: { args: ['--no-context-files'] },
  refusesBlank: true,
  stripsByteOrderMark: true,
  trimsEnd: true,
}
