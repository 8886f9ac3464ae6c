import { isRecord, type JsonObject, type JsonValue } from "../../base/json.ts";
import { delegateMethods } from "./delegate-methods.ts";
import type { RpcParams } from "./json-rpc.ts";
import { type Fitting, faultsOf, type ObjectSchema, type Schema } from "./json-schema.ts";
import { memoryMethods } from "./memory-methods.ts";
import { type MethodSpec, method } from "./method-schemas.ts";
import { pushMethods } from "./push-methods.ts";
import { rpcErrors } from "./rpc-errors.ts";
import { sessionMethods } from "./session-methods.ts";

const discover = method({
  name: "rpc.discover",
  summary: "Give this document.",
  paramStructure: "by-name",
  params: [],
  result: { name: "document", schema: {} },
  "x-direction": "to-brain",
  "x-origin": "consulta",
});

export const methods = [
  ...memoryMethods,
  ...delegateMethods,
  ...sessionMethods,
  discover,
  ...pushMethods,
] as const;

type AnyMethod = (typeof methods)[number];
export type MethodName = AnyMethod["name"];
type Named<N extends MethodName> = Extract<AnyMethod, { readonly name: N }>;

type ParamOf<M extends AnyMethod> = M["params"][number];
type RequiredParam<P> = P extends { readonly required: true } ? P : never;
type OptionalParam<P> = P extends { readonly required: true } ? never : P;
/** The parameters as an object: each name with the type that its schema describes. */
type ByName<P> = {
  [K in P extends { readonly name: infer N extends string } ? N : never]: Fitting<
    Extract<P, { readonly name: K }> extends { readonly schema: infer S } ? S : never
  >;
};

/** The parameters of a method, as the document describes them. */
export type ParamsOf<N extends MethodName> = ByName<RequiredParam<ParamOf<Named<N>>>> &
  Partial<ByName<OptionalParam<ParamOf<Named<N>>>>>;

/** What a method returns; a notification returns nothing. */
export type ResultOf<N extends MethodName> =
  Named<N> extends { readonly result: { readonly schema: infer S } } ? Fitting<S> : undefined;

/** The methods that one end has. */
export type NamesTo<D extends MethodSpec["x-direction"]> = Extract<
  AnyMethod,
  { readonly "x-direction": D }
>["name"];

const byName: ReadonlyMap<string, MethodSpec> = new Map(methods.map((it) => [it.name, it]));

export function methodSpec(name: MethodName): MethodSpec {
  const spec = byName.get(name);
  if (spec === undefined) throw new Error(`the document lacks ${name}`);
  return spec;
}

/** The parameters of a method as one schema. */
function paramsSchema(spec: MethodSpec): ObjectSchema {
  return {
    type: "object",
    properties: Object.fromEntries(spec.params.map(({ name, schema }) => [name, schema])),
    required: spec.params.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: spec["x-more-params"] ?? false,
  };
}

/** What is wrong with the parameters of a call; empty when they fit. */
export function paramFaults(name: MethodName, params: RpcParams | undefined): string[] {
  if (Array.isArray(params)) return ["the parameters are a list, expected an object with names"];
  return faultsOf(paramsSchema(methodSpec(name)), params ?? {}, "");
}

/** Whether parameters are what a method takes: here the document becomes a TypeScript type. */
export function fitsParams<N extends MethodName>(name: N, params: unknown): params is ParamsOf<N> {
  return isJson(params) && paramFaults(name, params).length === 0;
}

/** Whether a result is what a method returns. */
export function fitsResult<N extends MethodName>(
  name: N,
  result: JsonValue,
): result is ResultOf<N> & JsonValue {
  const schema: Schema | undefined = methodSpec(name).result?.schema;
  return schema !== undefined && faultsOf(schema, result, "result").length === 0;
}

function isJson(params: unknown): params is RpcParams {
  return isRecord(params) || Array.isArray(params);
}

/** The version of the methods, not of Consulta: it changes when they do. */
const documentVersion = "1.0.0";

/** The OpenRPC 1.3 document of the brain. */
export function openRpcDocument(): JsonObject {
  return {
    openrpc: "1.3.2",
    info: {
      title: "Consulta brain",
      version: documentVersion,
      description:
        "JSON-RPC 2.0 over WebSocket on 127.0.0.1, one JSON text per text frame. Address and token " +
        "are in .consulta/brain/endpoint.json; the token goes into the Authorization header.",
    },
    methods: methods.map(publicMethod),
    components: {
      errors: Object.fromEntries(
        Object.entries(rpcErrors).map(([name, { code, message }]) => [name, { code, message }]),
      ),
    },
  };
}

function publicMethod(spec: MethodSpec): JsonObject {
  const { "x-errors": errors = [], ...rest } = spec;
  const shown: JsonObject = JSON.parse(JSON.stringify(rest));
  if (errors.length === 0) return shown;
  return { ...shown, errors: errors.map((name) => ({ $ref: `#/components/errors/${name}` })) };
}

/** What a hook tells the brain of its session. */
export type SessionReport = Omit<ParamsOf<"session.sync">, "confirm">;
