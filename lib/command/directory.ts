/** A directory that a command needs. */
import { statSync } from 'node:fs'
import { UsageError } from './command.js'

/** @param hint What to do if it is not one. */
export const checkDirectory = (directory: string, hint = '') => {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`there is no directory ${directory}${hint}`)
}
