/** Makes processes that the tests start run under qemu, without changing the system. */
process.execPath = process.env.PROMPTMASON_NODE
