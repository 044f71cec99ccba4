/** Makes processes that the tests start run under qemu, without a setting of the system. */
process.execPath = process.env.PROMPTMASON_NODE
