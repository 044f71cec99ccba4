//! Lets the linker leave Node-API symbols to the Node that loads the addon.

fn main() {
    napi_build::setup();
}
