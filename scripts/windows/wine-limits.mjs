/** What `npm run test:windows` does not run, and why. */
export const NOT_RUN = [
  { reason: 'they need a Redis server or a browser', files: /\.redis\.test\.ts$|^__test__\/browser\// },
  {
    reason: 'they are about the package and its sources, which are the same everywhere',
    files: /^__test__\/packaging\//,
  },
  {
    reason: 'they install packages, or start Node hundreds of times with options of its engine',
    files: /^__test__\/(?:engine|migration)\//,
  },
]

/**
 * What fails because of Wine 10, not of Windows; tried without promptmason. A test that fails is one
 * of these if its name contains one of `names` and its error matches `message`; each is optional.
 * @type {{ reason: string, names?: string[], message?: RegExp }[]}
 */
export const WINE_LIMITS = [
  { reason: 'fs.symlinkSync makes no junctions: ENOTSUP', message: /ENOTSUP: .*symlink/ },
  {
    reason: 'fs.symlinkSync makes links, but opening one is ENOENT',
    names: [
      'InstructionPrompt.load tells of everything what became of it',
      'knows what is loaded by another name',
      'names a file once, by whatever names it is reached',
      'follows a symlinked AGENTS.md',
      'is an error also if it cannot be read',
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
]
