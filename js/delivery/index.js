'use strict'
/** Deliveries. Their files are loaded when they are first used: many callers only assemble. */

/** @typedef {typeof import('../../index.d.ts')} Exports */

/** @type {Exports['planDelivery']} */
const planDelivery = (output, options) => require('./plan.js').planDelivery(output, options)

/** @type {Exports['parseOutput']} */
const parseOutput = (agentType, output) => require('./parse-output.js').parseOutput(agentType, output)

/** @type {Exports['writeDelivery']} */
const writeDelivery = (plan) => require('./write.js').writeDelivery(plan)

/** @type {Exports['deliver']} */
const deliver = (plan, options) => require('./deliver.js').deliver(plan, options)

module.exports = { deliver, parseOutput, planDelivery, writeDelivery }
