/** The build puts a Markdown file's text into the bundle. */
declare module "*.md" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: that is how the bundler gives a file's text.
  export default text;
}
