/** The build puts the text of these files into the bundle. */
declare module "*.gitignore" {
  const text: string;
  export default text;
}

declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*.ps1" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}
