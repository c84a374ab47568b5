// example.cpp - docs/example.c in C++17: the same aggregates, the same answer (tests/install.sh).
#include <ldpbench.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace
{

constexpr std::array<double, 5> true_shares{.4, .3, .2, .09, .01};
constexpr std::size_t users = 500000;

ldpbench_error error;

void must(ldpbench_status status)
{
    if (status == LDPBENCH_OK)
        return;
    std::fprintf(stderr, "example: %s\n", error.text);
    std::exit(EXIT_FAILURE);
}

template <auto free_it> struct freed {
    template <typename handle> void operator()(handle *made) const
    {
        free_it(made);
    }
};
using spec = std::unique_ptr<ldpbench_spec, freed<ldpbench_spec_free>>;
using protocol = std::unique_ptr<ldpbench_protocol, freed<ldpbench_protocol_free>>;
using aggregate = std::unique_ptr<ldpbench_aggregate, freed<ldpbench_aggregate_free>>;
using collection = std::unique_ptr<ldpbench_collection, freed<ldpbench_collection_free>>;

/* What a function makes with these arguments. */
template <typename handle, typename function, typename... arguments> handle made(function call, arguments... given)
{
    typename handle::pointer out = nullptr;
    must(call(given..., &out, &error));
    return handle(out);
}

void count(ldpbench_aggregate *sum, const ldpbench_protocol *olh, const char *path)
{
    std::vector<std::uint32_t> answers(users);
    std::size_t user = 0;
    for (std::uint32_t v = 0; v < true_shares.size(); v++)
        for (const std::size_t end = user + static_cast<std::size_t>(true_shares[v] * users + .5); user < end; user++)
            answers[user] = v;
    std::vector<std::uint64_t> reports(2 * users);
    must(ldpbench_client(olh, ldpbench_system_source(), answers.data(), users, reports.data(), &error));
    must(ldpbench_aggregate_add(sum, reports.data(), users, &error));
    std::size_t size = 0;
    must(ldpbench_aggregate_write(sum, nullptr, 0, &size, &error));
    std::vector<char> bytes(size);
    must(ldpbench_aggregate_write(sum, bytes.data(), size, &size, &error));
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
}

void print(const ldpbench_aggregate *sum)
{
    constexpr std::size_t d = true_shares.size();
    const auto found = made<collection>(ldpbench_aggregate_finish, sum);
    const auto score = made<spec>(ldpbench_spec_new, "interval", "score");
    const auto norm_sub = made<spec>(ldpbench_spec_new, "method", "norm_sub");
    std::array<double, d> est{}, low{}, high{}, consistent{};
    must(ldpbench_collection_estimate(found.get(), est.data(), &error));
    must(ldpbench_collection_interval(found.get(), score.get(), .95, low.data(), high.data(), &error));
    must(ldpbench_collection_method(found.get(), norm_sub.get(), consistent.data(), &error));
    std::printf("value\ttrue\testimate\tlow\thigh\tnorm_sub\n");
    for (std::size_t v = 0; v < d; v++)
        std::printf("%zu\t%.3f\t%.4f\t%.4f\t%.4f\t%.4f\n", v, true_shares[v], est[v], low[v], high[v], consistent[v]);
}

} // namespace

int main(int argc, char **argv)
{
    const auto oracle = made<spec>(ldpbench_spec_new, "oracle", "olh");
    const auto olh = made<protocol>(ldpbench_protocol_new, oracle.get(), true_shares.size(), 1.0, std::uint64_t{0});
    const auto sum = made<aggregate>(ldpbench_aggregate_new, olh.get());
    if (argc == 3 && std::strcmp(argv[1], "count") == 0) {
        count(sum.get(), olh.get(), argv[2]);
        return EXIT_SUCCESS;
    }
    for (int i = 2; i < argc; i++) {
        std::ifstream file(argv[i], std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
        must(ldpbench_aggregate_merge(
            sum.get(),
            made<aggregate>(ldpbench_aggregate_read, olh.get(), static_cast<const void *>(bytes.data()), bytes.size())
                .get(),
            &error));
    }
    print(sum.get());
}
