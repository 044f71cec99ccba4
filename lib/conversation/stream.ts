/** A turn as an async iterable: the events of its delivery as they arrive, and finally the turn. */
import type { TurnEvent } from './events.js'
import type { CheckedSendOptions } from './options.js'
import type { Turn } from './outcome.js'

/** What `stream` yields: the events of a delivery, then the turn. */
export type StreamEvent<Name extends string = string> = TurnEvent<Name> | { type: 'turn'; turn: Turn<Name> }

export async function* streamOf<Name extends string>(
  send: (options: CheckedSendOptions) => Promise<Turn<Name>>,
  { signal, onEvent, ...options }: CheckedSendOptions,
): AsyncGenerator<StreamEvent<Name>, void, void> {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  let events: TurnEvent<Name>[] = []
  let isDone = false
  let wake = () => {}
  const turn = send({
    ...options,
    signal: controller.signal,
    onEvent: (event) => {
      events.push(event as TurnEvent<Name>)
      if (onEvent !== undefined) onEvent(event)
      wake()
    },
  }).finally(() => {
    isDone = true
    wake()
  })
  // It is awaited below, but perhaps not right away.
  turn.catch(() => {})
  try {
    for (;;) {
      while (events.length > 0) {
        const next = events
        events = []
        yield* next
      }
      if (isDone) break
      // oxlint-disable-next-line no-await-in-loop -- for the next event
      await new Promise<void>((resolve) => {
        wake = resolve
        if (isDone || events.length > 0) wake()
      })
    }
    yield { type: 'turn', turn: await turn }
  } finally {
    // A caller that stops listening does not want the answer.
    controller.abort()
    signal?.removeEventListener('abort', abort)
    await turn.catch(() => {})
  }
}
