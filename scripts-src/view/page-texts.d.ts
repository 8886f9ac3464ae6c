/** The build puts the compiled page into the bundle as texts. */
declare module "page:script" {
  const text: string;
  export default text;
}

declare module "page:style" {
  const text: string;
  export default text;
}
