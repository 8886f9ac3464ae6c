/** The build puts the compiled page into the bundle as texts. */
declare module "page:script" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a text.
  export default text;
}

declare module "page:style" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a text.
  export default text;
}
