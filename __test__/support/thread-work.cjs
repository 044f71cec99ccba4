const { join } = require('node:path')

/** Uses managers and assemblers with texts that only this thread has, and returns what was wrong. */
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
      expectSame(
        manager.assembleForAgent('a', 'codex').prompt,
        `[CONTEXT]\n- ${name} -> all: ${name} 中文 ${index}\n\n[MESSAGE]\nnow`,
      )
    }
    const assembler = new CodexContextAssembler()
    const contextMessages = Array.from({ length: 150 }, (_, index) => ({
      from: `${name} ${round} ${index}`,
      content: `内容 ${name}`,
    }))
    const input = { contextMessages, currentMessage: '消息', teamTask: null, maxBytes: 1e6 }
    const lines = contextMessages.map(({ from, content }) => `- ${from} -> all: ${content}`)
    const expected = `[CONTEXT]\n${lines.join('\n')}\n\n[MESSAGE]\n消息`
    expectSame(assembler.assemble(input).prompt, expected)
    expectSame(assembler.assemble(input, { as: 'buffer' }).prompt.toString(), expected)
  }
  return wrong
}

/**
 * The same with snapshots, tokens and instruction files. `folder` has an `AGENTS.md` that says
 * `name`, and `tokens` are those of `text`.
 */
exports.workOnEverything = async (pm, { name, folder, text, tokens }) => {
  const wrong = exports.work(pm, name)
  const expected = `Instructions from: ${join(folder, 'AGENTS.md')}\n${name}`
  for (let round = 0; round < 30; round++) {
    const manager = new pm.ContextManager({ maxTokens: 500, tokenizer: 'o200k' })
    for (let index = 0; index < 20; index++)
      manager.addMessage({ speaker: { id: name }, content: `${name} 中文 ${round} ${index}` })
    const restored = new pm.ContextManager({ maxTokens: 500, tokenizer: 'o200k' })
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    const { prompt } = restored.assembleForAgent('a', 'codex')
    if (prompt !== manager.assembleForAgent('a', 'codex').prompt || !prompt.endsWith(`${name} 中文 ${round} 19`))
      wrong.push(prompt)
    const counted = pm.countTokens(text, 'o200k')
    if (counted !== tokens) wrong.push(counted)
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const [found] = await pm.InstructionPrompt.system({ directory: folder, worktree: folder })
    if (found !== expected) wrong.push(found)
  }
  return wrong
}
