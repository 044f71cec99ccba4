/** A turn as an async iterable: the events of its delivery as they arrive, and finally the turn. */

/** @param options As they were checked. */
export async function* streamOf(send: (options: any) => Promise<any>, { signal, onEvent, ...options }: any) {
  const controller = new AbortController()
  const abort = () => controller.abort(signal.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  const events: any[] = []
  let isDone = false
  let wake = () => {}
  const turn = send({
    ...options,
    signal: controller.signal,
    onEvent: (event: any) => {
      events.push(event)
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
      while (events.length > 0) yield events.shift()
      if (isDone) break
      // oxlint-disable-next-line no-await-in-loop -- for the next event
      await new Promise((resolve) => {
        wake = () => resolve(undefined)
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
