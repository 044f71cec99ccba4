'use strict'
/**
 * Programs and directories of deliveries that are not over. If this thread ends without running
 * any more JavaScript, as a worker does that is terminated, native code ends and removes them.
 */
const native = require('../../binding.js')

/**
 * Lists a program that leads a process group.
 * @param {number | undefined} pid Undefined if it could not be started.
 * @returns {() => void} To be called when it has ended.
 */
const watchProcessGroup = (pid) => {
  if (pid === undefined) return () => {}
  const number = native.watchProcessGroup(pid)
  return () => native.forgetUnfinished(number)
}

/**
 * Lists a directory.
 * @param {string} directory
 * @returns {() => void} To be called when it was removed.
 */
const watchDirectory = (directory) => {
  const number = native.watchDirectory(directory)
  return () => native.forgetUnfinished(number)
}

module.exports = { watchDirectory, watchProcessGroup }
