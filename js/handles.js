'use strict'
/**
 * Native state is found by a number, which an object keeps in a private field. When the object
 * is collected, native code is told to forget the state.
 */
const native = require('../binding.js')

const assemblers = new FinalizationRegistry(native.releaseAssembler)
const managers = new FinalizationRegistry(native.releaseManager)

/**
 * @param {FinalizationRegistry<number>} registry
 * @param {object} owner
 * @param {number} handle
 */
const kept = (registry, owner, handle) => {
  registry.register(owner, handle)
  return handle
}

module.exports = {
  /** @param {object} owner @param {number} handle */
  assemblerHandle: (owner, handle) => kept(assemblers, owner, handle),
  /** @param {object} owner @param {number} handle */
  managerHandle: (owner, handle) => kept(managers, owner, handle),
}
