/** How many generated inputs a property is tried with. `RUNS_FACTOR=10 npx vitest run …` tries more. */
const factor = Number(process.env['RUNS_FACTOR'] ?? 1)

export const runs = (usual: number): { numRuns: number } => ({ numRuns: Math.ceil(usual * factor) })
