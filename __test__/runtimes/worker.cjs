'use strict'
/** A worker of `behaviour.mjs`. */
const {
  parentPort,
  workerData: { name, task, folder },
} = require('node:worker_threads')
const promptmason = require('../../index.js')
const { work } = require('../support/thread-work.cjs')

const say = parentPort.postMessage.bind(parentPort)

if (task === 'run') {
  say({ name, wrong: work(promptmason, name) })
} else {
  for (let count = 0; count < 50; count++) void promptmason.InstructionPrompt.load({ directory: folder })
  say('loading')
}
