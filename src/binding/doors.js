/* oxlint-disable no-unused-expressions -- the value of a program is its last expression */
'use strict';
/**
 * Methods that are called before each send get doors of our own to the same rooms.
 *
 * - napi-rs finds the native side of an object by look-ups under a lock, which take as long as
 *   it takes to assemble a small prompt. Here its number is in a private field.
 * - Fields of what is passed are read here, and objects are made here, because that is many
 *   times faster than from outside. What is wrong is found out and said on the native side.
 *
 * Answers the functions that give an assembler and a manager their numbers.
 */
(exported, native) => {
  /** A private field for objects that others have made. */
  const numbers = () => {
    class Numbered extends function Given(object) { return object } {
      #number
      constructor(object, number) {
        super(object)
        this.#number = number
      }
      /** Throws a TypeError if the object has none. */
      static of(object) { return object.#number }
    }
    // oxlint-disable-next-line no-new -- it is for the field that it puts on the object
    return { number: Numbered.of, give: (object, number) => { new Numbered(object, number) } }
  }

  const open = (prototype, doors) => {
    for (const name in doors) prototype[name] = doors[name]
  }

  /** It is asked for `DEBUG` each time, so that debugging can be switched on while a program runs. */
  const running = process

  /** What comes without a system flag comes without an object. */
  const withPrompt = (made) => typeof made === 'string' ? { prompt: made, systemFlag: undefined } : made
  const withBytes = (made) => typeof made === 'number' ? { bytes: made, systemFlag: undefined } : made

  /** The fields stand in the order of `ASSEMBLER_INPUT`. */
  const assemblers = numbers()
  const assemble = (call, object, input, buffer, offset) => call(
    assemblers.number(object), running.env?.DEBUG, buffer, offset, input,
    input?.contextMessages, input?.routeMeta, input?.maxBytes, input?.parentContext, input?.currentMessage,
    input?.teamTask, input?.systemInstruction, input?.instructionFileText, input?.siblingContext,
  )
  const assemblerDoors = {
    assemble(input) { return withPrompt(assemble(native.assemble, this, input)) },
    assembleToBuffer(input) { return assemble(native.assembleToBuffer, this, input) },
    assembleInto(input, buffer, offset) { return withBytes(assemble(native.assembleInto, this, input, buffer, offset)) },
  }
  for (const name in exported) {
    const { prototype } = exported[name]
    if (prototype && 'assembleInto' in prototype) open(prototype, assemblerDoors)
  }

  /** The fields stand in the order of `METHOD_OPTIONS`. */
  const managers = numbers()
  const assembleForAgent = (call, object, agentId, agentType, options, buffer, offset) => call(
    managers.number(object), running.env?.DEBUG, buffer, offset, object, agentId, agentType, options,
    options?.systemInstruction, options?.instructionFileText, options?.windowSizeOverride, options?.recipient,
  )

  /**
   * What is stored is what was read, so a copy is made first. No code of the caller's runs from
   * then on until the message is stored on both sides.
   *
   * Not `{ ...message }`: the engine would make a new hidden class for each when the id is set.
   */
  const { assign } = Object
  const addMessage = (manager, message) => {
    const number = managers.number(manager)
    const copy = assign({}, message)
    const { content, speaker, routing } = copy
    let id, name, type, resolvedAddressees, addressees, parentMessageId, intent
    if (typeof speaker === 'object' && speaker !== null) ({ id, name, type } = speaker)
    if (typeof routing === 'object' && routing !== null) {
      ({ resolvedAddressees, addressees, parentMessageId, intent } = routing)
    }
    copy.id = native.addMessage(
      number, message, content, speaker, routing, id, name, type,
      resolvedAddressees, addressees, parentMessageId, intent,
    )
    const { _held: held } = manager
    held.messages[held.messages.length] = copy
    held.onMessageAdded?.(copy)
    return copy
  }

  open(exported.ContextManager.prototype, {
    addMessage(message) { return addMessage(this, message) },
    assembleForAgent(agentId, agentType, options) {
      return withPrompt(assembleForAgent(native.assembleForAgent, this, agentId, agentType, options))
    },
    assembleForAgentToBuffer(agentId, agentType, options) {
      return assembleForAgent(native.assembleForAgentToBuffer, this, agentId, agentType, options)
    },
    assembleForAgentInto(agentId, agentType, options, buffer, offset) {
      return withBytes(assembleForAgent(native.assembleForAgentInto, this, agentId, agentType, options, buffer, offset))
    },
  })
  return [assemblers.give, managers.give]
}
