'use strict'
/** A logger that says nothing. */
class SilentLogger {
  debug() {}
  info() {}
  warn() {}
  error() {}
}

module.exports = { SilentLogger }
