/**
 * Where the messages of a view stand in the conversation. Reports and the page refer to messages this
 * way. The view itself is input for an assembler, which does not need it.
 */

export type Place = { index: number; id: string | undefined }

const places: WeakMap<object, Place[]> = new WeakMap()

/** @param messages The list of a view. */
export const keepPlaces = (messages: object, found: Place[]) => void places.set(messages, found)

/** The places of the messages of a list, if it is one of a view. */
export const placesOf = (messages: object) => places.get(messages)
