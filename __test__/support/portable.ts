/** Runs the tests of a file without vector instructions. */
import native from '../../binding.js'

native.useOnlyPortableTranscoder(true)
