/** Writes the generated documents: `node scripts/docs/generate.mjs`. A test checks that they are up to date. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { llmsText } from './llms.mjs'
import { referenceText } from './reference.mjs'

const root = join(import.meta.dirname, '..', '..')
writeFileSync(join(root, 'docs', 'reference.md'), referenceText(root))
writeFileSync(join(root, 'llms.txt'), llmsText(root))
