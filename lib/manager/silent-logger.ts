/** A logger that says nothing. */
export class SilentLogger {
  debug() {}
  info() {}
  warn() {}
  error() {}
}
