/** The code blocks of the documents, which tests run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

export const documentText = (path: string): string => readFileSync(join(root, path), 'utf8')

export interface Example {
  name: string
  code: string
  /** The `text` block that follows: what it prints. */
  output: string | undefined
}

/** Every `ts` block of a document, with the `text` block that follows it as its output. */
export const examplesOf = (path: string): Example[] =>
  [...documentText(path).matchAll(/```ts\n(.*?)```(?:\s*```text\n(.*?)```)?/gs)].map(([, code, output], index) => ({
    name: `${path}, example ${index + 1}`,
    code: code ?? '',
    output,
  }))
