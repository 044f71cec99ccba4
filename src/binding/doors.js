'use strict';
/**
 * Methods that are called before each send get doors of our own to the same rooms: napi-rs
 * finds the native side of an object by look-ups under a lock, which take as long as it takes
 * to assemble a small prompt. Here the number of the native side is in a private field.
 *
 * Answers the functions that give an assembler and a manager their numbers.
 */
(exported, native) => {
  /** A private field for objects that others have made. */
  const numbers = () => {
    class Given { constructor(object) { return object } }
    class Numbered extends Given {
      #number
      constructor(object, number) {
        super(object)
        this.#number = number
      }
      /** Throws a TypeError if the object has none. */
      static of(object) { return object.#number }
    }
    return { number: Numbered.of, give: (object, number) => { Reflect.construct(Numbered, [object, number]) } }
  }

  const { assemble, assembleToBuffer, assembleInto } = native
  const assemblers = numbers()
  const doors = ({ number }) => ({
    assemble(input) { return assemble(number(this), input) },
    assembleToBuffer(input) { return assembleToBuffer(number(this), input) },
    assembleInto(input, buffer, offset) { return assembleInto(number(this), input, buffer, offset) },
  })
  for (const { prototype } of Object.values(exported)) {
    if (prototype && 'assembleInto' in prototype) Object.assign(prototype, doors(assemblers))
  }

  const { addMessage, assembleForAgent, assembleForAgentToBuffer, assembleForAgentInto } = native
  const managers = numbers()
  const { number } = managers
  Object.assign(exported.ContextManager.prototype, {
    addMessage(message) { return addMessage(number(this), this, message) },
    assembleForAgent(agentId, agentType, options) {
      return assembleForAgent(number(this), this, agentId, agentType, options)
    },
    assembleForAgentToBuffer(agentId, agentType, options) {
      return assembleForAgentToBuffer(number(this), this, agentId, agentType, options)
    },
    assembleForAgentInto(agentId, agentType, options, buffer, offset) {
      return assembleForAgentInto(number(this), this, agentId, agentType, options, buffer, offset)
    },
  })
  return [assemblers.give, managers.give]
}
