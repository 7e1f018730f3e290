import type { DeleteRoutes, GetRoutes, PathWord, PostRoutes } from './resources.ts'

declare const BY_ROUTE: unique symbol
/** Stands for the type that belongs to the route of a request. */
export type ByRoute = typeof BY_ROUTE

/** The parameters and the response of a route. */
type RouteShape = { readonly params: object; readonly response: unknown }

/** `/v1/customers/cus_1?limit=3` → `/v1/customers/{id}`. */
type TemplateOf<Path extends string> = Path extends `${infer Plain}?${string}`
  ? SegmentsOf<Plain>
  : SegmentsOf<Path>
type SegmentsOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${SegmentOf<First>}/${SegmentsOf<Rest>}`
  : SegmentOf<Path>
type SegmentOf<Segment extends string> = Segment extends PathWord | '' ? Segment : '{id}'

/** The route of a path; undefined if there is none, or if the path is not known at compile time. */
type RouteAt<Routes, Path extends string> =
  TemplateOf<Path> extends infer Template extends keyof Routes ? Routes[Template] : undefined

type ResponseAt<Routes, ResponseBody, Path extends string> = ResponseBody extends ByRoute
  ? RouteAt<Routes, Path> extends infer Route extends RouteShape
    ? Route['response']
    : unknown
  : NoInfer<ResponseBody>

/** The arguments after the path: parameters, which can be omitted if none of them is required. */
type BodyAt<Routes, ResponseBody, Path extends string> = ResponseBody extends ByRoute
  ? RouteAt<Routes, Path> extends infer Route extends RouteShape
    ? Record<never, never> extends Route['params']
      ? [params?: Route['params']]
      : [params: Route['params']]
    : [params?: object]
  : [params?: object]

/**
 * Sends a GET request to the API. The path determines the type of the response. A type argument replaces it.
 * @throws RequestRefused
 */
export type Get = <ResponseBody = ByRoute, Path extends string = string>(
  path: Path,
) => Promise<ResponseAt<GetRoutes, ResponseBody, Path>>

/**
 * Sends a POST request to the API. The path determines the types of the parameters and of the response. A type argument replaces
 * the response's type, and then any parameters are allowed: `twin.post<unknown>('/v1/customers', { name: 5 })`.
 * @throws RequestRefused
 */
export type Post = <ResponseBody = ByRoute, Path extends string = string>(
  path: Path,
  ...params: BodyAt<PostRoutes, ResponseBody, Path>
) => Promise<ResponseAt<PostRoutes, ResponseBody, Path>>

/** Sends a DELETE request to the API, with types like those of `post`. @throws RequestRefused */
export type Delete = <ResponseBody = ByRoute, Path extends string = string>(
  path: Path,
  ...params: BodyAt<DeleteRoutes, ResponseBody, Path>
) => Promise<ResponseAt<DeleteRoutes, ResponseBody, Path>>
