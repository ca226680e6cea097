/* A plugin of oclgrind, which interprets the work-items of an OpenCL kernel one by one: it puts what 32 neighbours do at the
 * same instruction for the same time together as one request, as lanes of a warp, and counts the distinct sectors of 32 bytes
 * of each. A line "KERNEL SECTORS-LOADED SECTORS-STORED" for each launch goes to the file SP_SECTORS_OUT. */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "oclgrind/Context.h"
#include "oclgrind/Kernel.h"
#include "oclgrind/KernelInvocation.h"
#include "oclgrind/Memory.h"
#include "oclgrind/Plugin.h"
#include "oclgrind/WorkItem.h"

namespace
{

enum { WARP = 32, SECTOR_B = 32 };

class sectors : public oclgrind::Plugin
{
    std::map<std::pair<size_t, const void *>, size_t> times; /* that a work-item was at an instruction */
    std::set<std::tuple<size_t, const void *, size_t, size_t>> loaded, stored;

    template <class Set>
    void note(Set &of, const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
              size_t size)
    {
        if (!item || memory->getAddressSpace() != oclgrind::AddrSpaceGlobal)
            return;
        const void *at = item->getCurrentInstruction();
        const size_t number = item->getGlobalIndex(), turn = times[{number, at}]++;
        for (size_t s = address / SECTOR_B; s <= (address + size - 1) / SECTOR_B; s++)
            of.insert({number / WARP, at, turn, s});
    }

  public:
    explicit sectors(const oclgrind::Context *context) : Plugin(context)
    {
    }
    bool isThreadSafe() const override
    {
        return false;
    }
    void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                    size_t size) override
    {
        note(loaded, memory, item, address, size);
    }
    void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                     size_t size, const uint8_t *) override
    {
        note(stored, memory, item, address, size);
    }
    void kernelEnd(const oclgrind::KernelInvocation *of) override
    {
        const char *path = getenv("SP_SECTORS_OUT");
        FILE *out = path ? fopen(path, "a") : nullptr;
        if (out) {
            fprintf(out, "%s %zu %zu\n", of->getKernel()->getName().c_str(), loaded.size(), stored.size());
            fclose(out);
        }
        times.clear();
        loaded.clear();
        stored.clear();
    }
};

sectors *plugin;

} // namespace

extern "C" void initializePlugins(oclgrind::Context *context)
{
    plugin = new sectors(context);
    context->registerPlugin(plugin);
}

extern "C" void releasePlugins(oclgrind::Context *context)
{
    context->unregisterPlugin(plugin);
    delete plugin;
}
