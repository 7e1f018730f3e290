declare module 'paytwin-api' {
  // biome-ignore lint/suspicious/noExplicitAny: the real types are made from the description while the tests run
  export type paths = any
}
