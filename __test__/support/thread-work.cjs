/** Uses managers and assemblers with what only this thread says, and answers with what was wrong. */
exports.work = ({ ContextManager, CodexContextAssembler }, name) => {
  const wrong = []
  const expectSame = (one, other) => {
    if (one !== other) wrong.push(one)
  }
  for (let round = 0; round < 60; round++) {
    const managers = Array.from({ length: 5 }, () => new ContextManager({ contextWindowSize: 1 }))
    for (const [index, manager] of managers.entries()) {
      manager.addMessage({ speaker: { id: name }, content: `${name} 中文 ${index}` })
      manager.addMessage({ speaker: { id: name }, content: 'now' })
    }
    for (const [index, manager] of managers.entries()) {
      expectSame(manager.assembleForAgent('a', 'codex').prompt, `[CONTEXT]\n- ${name} -> all: ${name} 中文 ${index}\n\n[MESSAGE]\nnow`)
    }
    const assembler = new CodexContextAssembler()
    const contextMessages = Array.from({ length: 150 }, (_, index) => ({ from: `${name} ${round} ${index}`, content: `内容 ${name}` }))
    const input = { contextMessages, currentMessage: '消息', teamTask: null, maxBytes: 1e6 }
    const lines = contextMessages.map(({ from, content }) => `- ${from} -> all: ${content}`)
    const expected = `[CONTEXT]\n${lines.join('\n')}\n\n[MESSAGE]\n消息`
    expectSame(assembler.assemble(input).prompt, expected)
    expectSame(assembler.assembleToBuffer(input).prompt.toString(), expected)
  }
  return wrong
}
