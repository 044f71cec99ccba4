'use strict'
/** `renderReport`. What it needs is loaded when it is first called: most programs never call it. */

/** @type {typeof import('../index.d.ts').renderReport} */
const renderReport = (reports, options) => require('./explain/render.js').renderReport(reports, options)

module.exports = { renderReport }
