/** What `npm run test:windows` never runs, and why. */
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
 * Purely computational tests, which run only on request. Those that `npm run test:arm64` runs are
 * also run here by default.
 */
export const RUN_IF_NAMED = {
  reason: 'they compute the same on every system; `npm run test:windows -- __test__` runs them, too',
  files: new RegExp(
    [
      '^__test__/(?:arrays|border|layouts|parts|prompts|reports|sessions|visibility)/',
      '^__test__/assemblers/(?!(?:forms|hostile-content|joined|long-messages|names)\\.)',
      '^__test__/manager/(?!(?:append|context|edit|lifetime|manager|snapshot)\\.)',
    ].join('|'),
  ),
}

/**
 * What Wine cannot do, and the tests that fail because of it. Each is tried at the beginning of a run,
 * without promptmason, by the function of `measure-wine.mjs` that has its name: where Wine can do it,
 * the tests have to pass.
 * @type {Record<string, { reason: string, tests: string[] }>}
 */
export const WINE_LIMITS = {
  danglingLinks: {
    reason: 'a dangling link is a missing file, not a link',
    tests: [
      'InstructionPrompt.load reports what happened to each source, and why',
      'the configuration file is an error if it cannot be read',
    ],
  },
  directoryLinks: {
    reason: 'a link to a directory is a directory, not a link',
    tests: ['a pattern never enters .git'],
  },
  longFinalPaths: {
    reason: 'a file with a path of more than 260 units has no final path (GetFinalPathNameByHandleW)',
    tests: ['have paths of more than 260 units in a repository that is not trusted'],
  },
  removedFiles: {
    reason: 'a file that is removed while it is open can still be found by its name',
    tests: ['and that removes it is a conflict', 'and that replaces it is a conflict'],
  },
}
