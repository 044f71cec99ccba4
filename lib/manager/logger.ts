/** Loggers: where warnings go. */
import { wrongType } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

/** Where warnings go. */
export interface ILogger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

/** Its methods are looked up when there is something to log. */
export const logger: Kind<Partial<ILogger>, ILogger> = (value, parent, name) =>
  isLogger(value) ? value : wrongType('an object', value, parent, name)

const isLogger = (value: unknown): value is Partial<ILogger> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

export const warn = (to: Partial<ILogger> | undefined, text: string) => {
  const target = to ?? console
  if (typeof target.warn === 'function') target.warn(text)
}

/** A logger that discards everything: `new ContextManager({ logger: new SilentLogger() })`. */
export class SilentLogger implements ILogger {
  /** Discards the message. */
  debug(_message: string, ..._details: unknown[]): void {}
  /** Discards the message. */
  info(_message: string, ..._details: unknown[]): void {}
  /** Discards the message. */
  warn(_message: string, ..._details: unknown[]): void {}
  /** Discards the message. */
  error(_message: string, ..._details: unknown[]): void {}
}
