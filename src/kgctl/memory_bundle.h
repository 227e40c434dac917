/*
 * memory_bundle.h
 *	  The bundle that "kgctl memory init" applies. The MCP tools of the
 *	  toolset "memory" use it (model/memory.h of the extension).
 */
#ifndef KG_MEMORY_BUNDLE_H
#define KG_MEMORY_BUNDLE_H

#define KG_MEMORY_BUNDLE_TEXT                                                 \
	"{\"bundle_name\": \"memory\", \"version\": \"1\", \"description\": "     \
	"\"What was remembered: entities, what was observed about them, and how " \
	"they are related\", \"schemas\": ["                                      \
	"{\"entity_type\": \"entity\", \"schema\": {\"type\": \"object\", "       \
	"\"title\": \"Entity\", \"additionalProperties\": false, "                \
	"\"x-history\": true, "                                                   \
	"\"x-id-field\": \"name\", \"x-label-field\": \"name\", "                 \
	"\"x-alias-fields\": [\"entityType\", \"parts\"], \"x-signs\": true, "    \
	"\"properties\": {"                                                       \
	"\"name\": {\"type\": \"string\", \"description\": \"Its name, which no " \
	"other has\"}, "                                                          \
	"\"entityType\": {\"type\": \"string\", \"description\": \"What it is, "  \
	"in any words\"}, "                                                       \
	"\"parts\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, "    \
	"\"description\": \"Pieces of a long name or type, for the search\"}, "   \
	"\"stub\": {\"type\": \"boolean\", \"description\": \"It is an end of a " \
	"relation, and was never created\"}}}}, "                                 \
	"{\"entity_type\": \"observation\", \"schema\": {\"type\": \"object\", "  \
	"\"title\": \"Observation\", \"additionalProperties\": false, "           \
	"\"x-history\": true, "                                                   \
	"\"x-id-field\": \"id\", \"x-label-field\": \"content\", "                \
	"\"x-alias-fields\": [\"parts\"], \"x-signs\": true, "                    \
	"\"required\": [\"id\", \"entity\", \"n\", \"content\"], "                \
	"\"properties\": {"                                                       \
	"\"id\": {\"type\": \"string\", \"description\": \"A hash of entity and " \
	"content\"}, "                                                            \
	"\"entity\": {\"type\": \"string\", \"x-ref\": \"entity\", "              \
	"\"x-relation\": \"ABOUT\", \"x-on-delete\": \"cascade\", "               \
	"\"description\": \"What it is about\"}, "                                \
	"\"n\": {\"type\": \"integer\", \"description\": \"Its place among the "  \
	"entity's\"}, "                                                           \
	"\"content\": {\"type\": \"string\", \"description\": \"What was "        \
	"observed\"}, "                                                           \
	"\"parts\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, "    \
	"\"description\": \"Pieces of a long content, for the search\"}}}}], "    \
	"\"relations\": [{\"name\": \"RELATES\", \"from\": \"entity\", "          \
	"\"to\": \"entity\", \"key\": [\"relationType\"], \"history\": true, "    \
	"\"description\": "                                                       \
	"\"A relation of the type that relationType says\", \"schema\": "         \
	"{\"type\": \"object\", \"required\": [\"relationType\"], "               \
	"\"properties\": {\"relationType\": {\"type\": \"string\"}}}}]}"

#endif /* KG_MEMORY_BUNDLE_H */
