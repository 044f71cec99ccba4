/** The environment that CLIs get. */
import { describe, expect, it } from 'vitest'
import { withVariables } from '../../dist/delivery/environment.js'

describe('variables of a plan', () => {
  it('replace those of the same name, on Windows whatever the letter case', () => {
    const env = { Path: 'old', Home: 'h' }
    expect(withVariables(env, { PATH: 'new', HOME: undefined }, 'win32')).toEqual({ PATH: 'new', HOME: undefined })
    expect(withVariables(env, { PATH: 'new' }, 'linux')).toEqual({ Path: 'old', Home: 'h', PATH: 'new' })
  })
})
