/**
 * What fails because of Wine 8, not of Windows. A test that fails is one of these if its name contains
 * one of `names` and its error matches `message`; each is optional.
 * @type {{ reason: string, names?: string[], message?: RegExp }[]}
 */
export const WINE_LIMITS = [
  {
    reason: "sockets cannot be connected in the way in which Node's event loop does it",
    message: /connect UNKNOWN|fetch failed/,
  },
  {
    reason: 'sockets cannot be connected, and this test needs a server',
    names: [
      'SystemPrompt.build is agent or provider',
      'SystemPrompt.buildWithReport has the parts',
      "untrusted trusts what the caller passes, and the user's own files",
    ],
  },
  { reason: 'there are no junctions', message: /ENOTSUP: .*symlink/ },
  {
    reason: 'symbolic links that Node makes lead nowhere',
    names: [
      'follows a symlinked AGENTS.md',
      'does not follow a link of an untrusted repository',
      'knows what the CLI includes, by whatever name',
      'refuses a configuration that is a link out',
      'finds nothing that is a link out',
      'works where the repository is behind a link',
    ],
  },
  {
    reason: 'a file with a path of more than 260 units has no final path (GetFinalPathNameByHandleW)',
    names: ['more than 260 units in a repository that is not trusted'],
  },
  { reason: 'the working directory cannot be removed; nor on Windows', names: ['if the working directory is gone'] },
  { reason: 'chmod takes no right to read away; nor on Windows', names: ['is an error also if it cannot be read'] },
  { reason: 'listing 10,000 files takes minutes', names: ['looks at 10,000 files at most'] },
]
