/** The build puts the text of these files into the bundle. */
declare module "*.gitignore" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a file's text.
  export default text;
}

declare module "*.sh" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a file's text.
  export default text;
}

declare module "*.ps1" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a file's text.
  export default text;
}

declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a file's text.
  export default text;
}
