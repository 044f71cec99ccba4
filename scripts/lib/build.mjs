/** `npm run build:lib`. The exit code is 1 if types are wrong; what could be compiled is in `dist/` all the same. */
import { buildLib } from './compile.mjs'

process.exitCode = (await buildLib({ isComplete: true })) ? 0 : 1
