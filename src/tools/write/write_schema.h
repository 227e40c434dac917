/*
 * write_schema.h
 *	  The published texts and schemas of the generated tools that write.
 */
#ifndef KG_WRITE_SCHEMA_H
#define KG_WRITE_SCHEMA_H

#include "model/catalog.h"

/* Maximum number of items in a call. */
#define KG_WRITE_ITEMS 500

/* Templates of parts of schemas. */
#define KG_WRITE_OPTIONS                                                     \
	"'dry_run':{'type':'boolean','default':false,'description':'only tell "  \
	"what would happen'},'atomic':{'type':'boolean','default':true,"         \
	"'description':'all items or none'},'idempotency_key':{'type':'string'," \
	"'minLength':1,'maxLength':128,'description':'the same call with the "   \
	"same "                                                                  \
	"key is done once'},'reason':{'type':'string','maxLength':1000,"         \
	"'description':'why, for the history'},'confirm':{'type':'string',"      \
	"'description':'from a reply that asks for it, with the same arguments'}"

#define KG_SOME_VERSION "{'type':'integer','minimum':1}"

#define KG_EDGE_ENDS                                                          \
	"'from':{'type':'string','description':'a handle, type:id'},'to':{'type'" \
	":'string','description':'a handle, type:id'}"

/* Members of an item of an update, after its id and the properties to set. */
#define KG_PATCH                                                              \
	"'unset':{'type':'array','items':{'type':'string'},'description':'names " \
	"of properties to take away'},'expected_version':" KG_SOME_VERSION

/* Further members; generated tools take them, but do not publish them. */
#define KG_PATCH_ARRAYS                                                       \
	",'add':{'type':'object','description':'{property: values to add to its " \
	"array}'},'remove':{'type':'object','description':'{property: values to " \
	"remove}'}"

#define KG_WRITE_OUTPUT                                                      \
	"{'type':'object','required':['items','counts'],'properties':{'items':"  \
	"{'type':'array','items':{'type':'object','required':['verdict'],"       \
	"'properties':{'id':<text>,'verdict':{'type':'string','enum':['created'" \
	",'updated','unchanged','deleted','not_found','error','not_written']},"  \
	"'version':<count>,'changed':<objects>,'error':{'type':'object'}}}},"    \
	"'counts':{'type':'object'},'dry_run':<boolean>,'confirm':{'type':"      \
	"'string','description':'send the same arguments with it to have it "    \
	"done'},'expires_at':<text>,'replayed':<boolean>}}"

extern const char *kg_write_input_template(const KgTool *tool);
extern Jsonb *kg_write_input_schema(const KgTool *tool);
extern Jsonb *kg_write_output_schema(void);
extern char *kg_write_title(const KgTool *tool);
extern char *kg_write_description(const KgTool *tool);

#endif /* KG_WRITE_SCHEMA_H */
