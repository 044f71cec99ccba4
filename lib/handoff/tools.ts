/** The tools with which CLIs change files, run commands and write plans, by the agents of transcripts. */
export interface ToolFacts {
  /** The version whose requests were examined. It declares these tools, except those named in a comment. */
  measuredOn: string
  /** Tools that write one file, and the argument that names it. */
  files: { [tool: string]: string }
  /**
   * Tools that take a patch with lines such as `*** Add File: a.txt`, and the argument that has it. The
   * input may also be the patch itself, or a command may have it.
   */
  patches: { [tool: string]: string }
  /** Tools that run a command, and the argument that has it. */
  commands: { [tool: string]: string }
  /** Tools that replace the plan: the argument with the list, and the field with the text of an entry. */
  plans: { [tool: string]: { list: string; step: string } }
}

export const TOOLS: { [agent: string]: ToolFacts } = {
  claude: {
    measuredOn: '2.1.325',
    // Declared only after a search for tools, or by older versions: NotebookEdit, MultiEdit, TodoWrite.
    files: { Write: 'file_path', Edit: 'file_path', MultiEdit: 'file_path', NotebookEdit: 'notebook_path' },
    patches: {},
    commands: { Bash: 'command' },
    plans: { TodoWrite: { list: 'todos', step: 'content' } },
  },
  codex: {
    measuredOn: '0.166.0',
    files: {},
    // Declared only for some models: apply_patch, shell, shell_command, update_plan.
    patches: { apply_patch: 'input' },
    commands: { exec_command: 'cmd', shell: 'command', shell_command: 'command' },
    plans: { update_plan: { list: 'plan', step: 'step' } },
  },
  gemini: {
    measuredOn: '0.61.0',
    files: { write_file: 'file_path', replace: 'file_path' },
    patches: {},
    commands: { run_shell_command: 'command' },
    plans: { write_todos: { list: 'todos', step: 'description' } },
  },
  qwen: {
    measuredOn: '0.24.4',
    files: { write_file: 'file_path', edit: 'file_path', notebook_edit: 'notebook_path' },
    patches: {},
    commands: { run_shell_command: 'command' },
    // Declared only after a search for tools.
    plans: { todo_write: { list: 'todos', step: 'content' } },
  },
  copilot: {
    measuredOn: '1.0.102',
    files: { create: 'path', edit: 'path' },
    patches: {},
    // Declared only on Windows: powershell.
    commands: { bash: 'command', powershell: 'command' },
    plans: {},
  },
  opencode: {
    measuredOn: '1.18.33',
    files: { write: 'filePath', edit: 'filePath' },
    // Declared only for some models.
    patches: { apply_patch: 'patchText' },
    commands: { bash: 'command' },
    plans: { todowrite: { list: 'todos', step: 'content' } },
  },
}
