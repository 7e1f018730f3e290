import { asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import type { OpenApi } from '../openapi.ts'
import { conventions } from './conventions.ts'
import { type Document, nameOfRoute, type Route, routesOf, type Tag } from './document.ts'
import { errors, eventTypes, WORDS } from './errors.ts'
import { type Around, headingOfObject } from './fields.ts'
import { objectSection, objectsByTag } from './objects.ts'
import { routeSection } from './route-section.ts'
import { sharedParameters } from './shared.ts'

/** docs/api.md: all that the description of the API says of routes, parameters, objects and errors, in Markdown. */
export function apiReference(description: OpenApi): string {
  const document = description as unknown as Document
  const around: Around = {
    schemas: document.components.schemas,
    words: WORDS,
    shared: sharedParameters(document),
  }
  const objects = objectsByTag(document)
  const chapters = CHAPTERS.map(({ heading, isOperators, text }) => {
    const tags = document.tags.filter((tag) => isOfOperator(tag) === isOperators)
    const resources = tags.map((tag) => resource(tag, objects.get(tag.name) ?? [], document, around))
    return {
      heading,
      contents: contents(heading, tags),
      text: [`## ${heading}`, text, ...resources].join('\n\n'),
    }
  })
  return `${[
    BEGINNING,
    '## Contents',
    [
      `- ${linkTo('Conventions', 'Conventions')}: ${['Keys', 'Headers', 'Lists', 'Streams'].map((name) => linkTo(name, name.toLowerCase())).join(', ')}`,
      ...chapters.map((chapter) => chapter.contents),
      ...['Errors', 'Types of events'].map((name) => `- ${linkTo(name, name)}`),
    ].join('\n'),
    conventions(document, around),
    ...chapters.map(({ text }) => text),
    errors(document, around),
    eventTypes(),
  ].join('\n\n')}\n`
}

const BEGINNING = `# The API

<!-- Written by \`npm run references\` from the description of the API. To change it, change the texts of \`src/http\`. -->

All routes with their parameters, all objects with their fields, all errors. A running daemon serves the same as pages with
an example of each answer, at \`/docs\`, and for programs at \`/openapi.json\`. The [contract](contract/README.md) has the rules that a list of
fields cannot show.`

const CHAPTERS = [
  {
    heading: 'For merchants',
    isOperators: false,
    text: "What an application calls. Routes below `/v1/test_helpers` are the sandbox's own: they move time, and say what a card will do.",
  },
  {
    heading: 'For the operator',
    isOperators: true,
    text: 'What the [command line](commands.md) calls, of all merchants, with the admin token of the daemon.',
  },
] as const

const isOfOperator = ({ name }: Tag): boolean => name.startsWith('operator_')

/** The operator has routes of resources that merchants have too. */
const headingOfTag = (tag: Tag): string =>
  isOfOperator(tag) ? `${tag['x-displayName']} (operator)` : tag['x-displayName']

const contents = (heading: string, tags: readonly Tag[]): string =>
  [
    `- ${linkTo(heading, heading)}`,
    ...tags.map(
      (tag) => `  - ${linkTo(headingOfTag(tag), tag['x-displayName'])}: ${asMarkdown(tag.description)}`,
    ),
  ].join('\n')

/** A resource: what it is, its routes, and the objects that they answer. */
function resource(tag: Tag, objects: readonly string[], document: Document, around: Around): string {
  const routes = routesOf(document).filter(({ operation }) => operation.tags.includes(tag.name))
  return [
    `### ${headingOfTag(tag)}`,
    asMarkdown(tag.description),
    [
      ...routes.map(contentsLine),
      ...objects.map((name) => `- ${linkTo(headingOfObject(name), headingOfObject(name))}`),
    ].join('\n'),
    ...routes.map((route) => routeSection(route, document, around)),
    ...objects.map((name) => objectSection(name, around, '####')),
  ].join('\n\n')
}

const contentsLine = (route: Route): string =>
  `- ${linkTo(nameOfRoute(route), asCode(nameOfRoute(route)))}: ${asMarkdown(route.operation.summary)}`
