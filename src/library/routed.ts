import type { DeleteRoutes, GetRoutes, PathWord, PostRoutes } from './resources.ts'

declare const BY_ROUTE: unique symbol
/** Stands for the type that belongs to the route of a request. */
export type ByRoute = typeof BY_ROUTE

/** The parameters and the answer of a route. */
type RouteShape = { readonly params: object; readonly answer: unknown }

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

type AnswerAt<Routes, Answer, Path extends string> = Answer extends ByRoute
  ? RouteAt<Routes, Path> extends infer Route extends RouteShape
    ? Route['answer']
    : unknown
  : NoInfer<Answer>

/** The arguments after the path: parameters, which can be omitted if none of them is required. */
type BodyAt<Routes, Answer, Path extends string> = Answer extends ByRoute
  ? RouteAt<Routes, Path> extends infer Route extends RouteShape
    ? Record<never, never> extends Route['params']
      ? [params?: Route['params']]
      : [params: Route['params']]
    : [params?: object]
  : [params?: object]

/**
 * Sends a GET request to the API. The path determines the type of the answer. A type argument replaces it.
 * @throws RequestRefused
 */
export type Get = <Answer = ByRoute, Path extends string = string>(
  path: Path,
) => Promise<AnswerAt<GetRoutes, Answer, Path>>

/**
 * Sends a POST request to the API. The path determines the types of the parameters and of the answer. A type argument replaces
 * the answer's type, and then any parameters are allowed: `twin.post<unknown>('/v1/customers', { name: 5 })`.
 * @throws RequestRefused
 */
export type Post = <Answer = ByRoute, Path extends string = string>(
  path: Path,
  ...params: BodyAt<PostRoutes, Answer, Path>
) => Promise<AnswerAt<PostRoutes, Answer, Path>>

/** Sends a DELETE request to the API, with types like those of `post`. @throws RequestRefused */
export type Delete = <Answer = ByRoute, Path extends string = string>(
  path: Path,
  ...params: BodyAt<DeleteRoutes, Answer, Path>
) => Promise<AnswerAt<DeleteRoutes, Answer, Path>>
