/** Links of the system. */
import { rmSync, symlinkSync } from 'node:fs'
import { isWine, outside, runOutside } from './wine.js'

let hasLinks = false

/**
 * Makes a link. Node can make none under Wine, but Wine follows those of the system that it runs on,
 * and knows where they lead. On Windows, a junction needs no right that only administrators have.
 */
export const makeLink = (target: string, path: string, type?: 'junction'): void => {
  if (!isWine) return symlinkSync(target, path, type)
  hasLinks = true
  runOutside('/usr/bin/ln', '-s', outside(target), outside(path))
}

/** Removes a directory and all links in it, but not what they lead to. */
export const removeWithLinks = (directory: string): void => {
  // Under Wine, Node takes a link for a directory.
  if (hasLinks) runOutside('/usr/bin/rm', '-rf', outside(directory))
  hasLinks = false
  rmSync(directory, { recursive: true, force: true })
}
